import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { ERROR_CODES } from '../src/base/errors.ts'

const readme = readFileSync(resolve(import.meta.dirname, '../README.md'), 'utf8')
const scripts = (
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
).scripts

it('the README lists every error code, and no other', () => {
  const table = readme.slice(readme.indexOf('## Errors'), readme.indexOf('## The command line'))
  const listed = [...table.matchAll(/^\| `([a-z_]+)` \|/gm)].map((row) => row[1])
  expect(listed).toEqual([...ERROR_CODES])
})

it('the first bot of the README is the one that is tested', () => {
  const first = /## The first bot\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(readme)?.[1]
  expect(first).toBe(readFileSync(resolve(import.meta.dirname, 'surface/hello.ts'), 'utf8'))
})

it('every npm command of the README exists, here or in what init writes', () => {
  const run = [...readme.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map((match) => match[1] ?? match[2])
  const benches = [...readme.matchAll(/`(bench:[\w-]+)`/g)].map((match) => match[1])
  expect(run).toContain('demo')
  expect(benches).toContain('bench:emulator')
  // `npm run dev` belongs to a bot that init wrote; each template's own tests run it.
  for (const command of [...run, ...benches].filter((name) => name !== 'dev'))
    expect(Object.keys(scripts)).toContain(command)
})

it('the README says that missed events cannot be fetched later, and what 20 failures do [R GEN-15]', () => {
  const promised = readme
    .slice(readme.indexOf('## What is promised'), readme.indexOf('## Errors'))
    .replaceAll(/\s+/g, ' ')
  expect(promised).toContain('missed events cannot be fetched later')
  expect(promised).toContain('after 20 failures in a row it disables the endpoint')
})
