import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const BUILT = resolve(import.meta.dirname, '../../../dist/pages/emulator')
const LARGEST_BYTES = 60 * 1024

/** All files of one kind that the browser loads. */
const files = (extension: string) =>
  readdirSync(BUILT, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension))
    .map((file) => readFileSync(join(BUILT, file)))

it('the page has less than 60 KB of JavaScript, gzipped', () => {
  const scripts = files('.js')
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.reduce((sum, script) => sum + gzipSync(script).length, 0)).toBeLessThan(LARGEST_BYTES)
})
