/** Inside each large module: which of its parts may import which, types included. A part is a folder or a file. */
export const INSIDE: Record<string, Record<string, readonly string[]>> = {}
