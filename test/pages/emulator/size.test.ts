import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const BUILT = resolve(import.meta.dirname, '../../../dist/pages')
const KB = 1024

/** All files of one kind that the browser loads. */
const files = (page: string, extension: string) =>
  readdirSync(join(BUILT, page), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension))
    .map((file) => readFileSync(join(BUILT, page, file)))

it.each([
  ['emulator', 60],
  ['desk', 40],
])('the page of the %s has less than %i KB of JavaScript, gzipped', (page, largest) => {
  const scripts = files(page, '.js')
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.reduce((sum, script) => sum + gzipSync(script).length, 0)).toBeLessThan(largest * KB)
})
