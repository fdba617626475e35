// Every format.
#pragma once

#include "formats/bcsr.hpp"
#include "formats/cds.hpp"
#include "formats/cmrs.hpp"
#include "formats/compact.hpp"
#include "formats/coo.hpp"
#include "formats/csc.hpp"
#include "formats/csr.hpp"
#include "formats/dia.hpp"
#include "formats/ell.hpp"
#include "formats/ellr_t.hpp"
#include "formats/hyb.hpp"
#include "formats/rg_csr.hpp"
#include "formats/stencil_table.hpp"
