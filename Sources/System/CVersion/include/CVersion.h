#ifndef CVERSION_H
#define CVERSION_H

/// The version of all programs of this package, which Package.swift sets. It lives as long as the process.
const char *_Nonnull flotilla_version(void);

#endif
