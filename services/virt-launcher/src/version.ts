/** Of the launcher program; the same as the package's. */
export const VERSION = '0.1.0';
