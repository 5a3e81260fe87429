import { readFileSync } from 'node:fs'

/** The version of this package; undefined in a bundle, beside which its package file does not lie. */
export function ownVersion(): string | undefined {
  try {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    const { name, version } = JSON.parse(text) as { name?: string; version?: string }
    return name === 'switchhook' ? version : undefined
  } catch {
    return undefined
  }
}
