import { run } from '../run.ts'

/** Each program that reads a packed package as the tools of its users will. `require` has its own types and files. */
const CHECKS = [
  ['publint', '--strict'],
  ['attw', '--no-emoji'],
] as const

/** The findings of all checks in a packed package, each as the program printed it; none if the package is in order. */
export function findingsIn(tarball: string): string[] {
  return CHECKS.map(([command, ...options]) => run(command, tarball, ...options))
    .filter(({ ok }) => !ok)
    .map(({ output }) => output)
}
