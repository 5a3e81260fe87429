import { createConfig, lintFromString } from '@redocly/openapi-core'

/** What Redocly's strictest rules find in a description, a line each. */
export async function lintFindings(description: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const found = await lintFromString({ source: description, config })
  return found.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer ?? '#'}: ${message}`)
}
