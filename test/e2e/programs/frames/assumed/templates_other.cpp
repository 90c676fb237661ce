#include "templates.h"
template class std::map<std::string, Buf>;
