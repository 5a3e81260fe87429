/** A variable of the environment; one that is set to nothing counts as absent. */
export function environment(name: string): string | undefined {
  const value = process.env[name]?.trim()
  return value === '' ? undefined : value
}
