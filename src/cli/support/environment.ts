/** A variable of the environment; one that is set to nothing counts as absent. */
export function environment(name: string): string | undefined {
  const value = process.env[name]?.trim()
  return value === '' ? undefined : value
}

/** The app's signing secret; of several live ones, which commas separate, the first is as right as any. */
export function signingSecret(): string | undefined {
  return environment('SWITCHHOOK_SIGNING_SECRET')?.split(',')[0]?.trim()
}
