import { globSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ERROR_CODES, SwitchhookError } from '../src/base/errors.ts'
import { ApiError } from '../src/client/client.ts'
import { API_ERRORS, type ErrorRule } from '../src/service/contract.ts'

const read = (file: string) => readFileSync(resolve(import.meta.dirname, '..', file), 'utf8')
const readme = read('README.md')
const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts

describe('the README', () => {
  it('names the service and links to its page and its rules first, then shows a picture, then code, and later the desk', () => {
    const places = [
      'Messaging Developer API v2',
      '(docs/service.md)',
      '(docs/rules.md)',
      '![',
      '```ts',
      '```sh',
      '## What is promised',
    ]
    const found = places.map((place) => readme.indexOf(place))
    expect(found).not.toContain(-1)
    expect(found).toEqual(found.toSorted((a, b) => a - b))
    expect([...readme.matchAll(/!\[.*?\]\((.*?)\)/g)].map(([, picture]) => picture)).toEqual([
      'docs/screenshots/refused.png',
      'docs/screenshots/phone-and-desk.png',
    ])
  })

  it('begins with the tested bot', () => {
    const first = /```ts\n([\s\S]*?)```/.exec(readme)?.[1]
    expect(first).toBe(read('test/surface/hello.ts'))
  })

  it('shows the commands of a checkout first, and marks those of the registry', () => {
    const [checkout = '', registry = ''] = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code)
    expect(checkout.split('\n').map((line) => line.split(/ +#/)[0])).toEqual([
      'npm ci',
      'npm run demo',
      'npm start',
      'npm test',
      '',
    ])
    expect(registry).toContain('npm create switchhook')
    expect(readme.slice(0, readme.indexOf(registry))).toMatch(/\n\n[^\n]*when it is published[^\n]*\n\n```sh\n$/)
  })

  it('promises in five lines', () => {
    const promised = readme.slice(readme.indexOf('## What is promised'), readme.indexOf('## How it compares'))
    expect(promised.match(/^\d\. /gm)).toHaveLength(5)
  })
})

it('every npm command of README, docs and CONTRIBUTING exists, here or in what init writes', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(resolve(import.meta.dirname, '../docs')).map((name) => `docs/${name}`),
  ]
  const text = pages
    .filter((page) => page.endsWith('.md'))
    .map(read)
    .join('\n')
  const run = [...text.matchAll(/\bnpm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g)].map((match) => match[1] ?? match[2])
  expect(run).toContain('demo')
  expect(run).toContain('bench:version')
  const ofBots = JSON.parse(read('templates/support-desk/_package.json')) as { scripts: Record<string, string> }
  const known = Object.keys({ ...scripts, ...ofBots.scripts })
  for (const command of run) expect(known).toContain(command)
})

describe('docs/errors.md', () => {
  const headings = [...read('docs/errors.md').matchAll(/^### (.*)$/gm)].map(([, heading]) => heading)
  const page = 'switchhook/docs/errors.md#'

  it('has a section for every code, of the library and of the service, and for no other', () => {
    expect(headings).toEqual([...ERROR_CODES, ...Object.keys(API_ERRORS)])
  })

  it('is where an error leads, to the section of its code', () => {
    for (const code of ERROR_CODES) expect(new SwitchhookError(code, 'x').docs).toBe(`${page}${code}`)
    for (const [code, rule] of Object.entries(API_ERRORS)) expect(refusal(code, rule).docs).toBe(`${page}${code}`)
  })

  it('has one for all errors of the service with an unknown code or none', () => {
    for (const code of ['made_up', 'toString', undefined])
      expect(refusal(code, API_ERRORS.internal_error).docs).toBe(`${page}api_error`)
  })

  const refusal = (code: string | undefined, rule: ErrorRule) =>
    new ApiError({ message: 'x', status: rule.status, code, rule })
})

it('docs/settings.md lists every option with its environment variable, and no other', () => {
  const ofFeatures = globSync('src/features/*/*.ts', { cwd: resolve(import.meta.dirname, '..') }).map(read)
  const source = [...['options', 'number-options'].map((name) => read(`src/bot/${name}.ts`)), ...ofFeatures].join('\n')
  const given = /^export interface (?:(?:Bot|Number)Options|(?!\w*Route)\w+Option)\b[^]*?^\}/gm
  const interfaces = [...source.matchAll(given)].map(([code]) => code)
  const options = interfaces.flatMap((code) => [...code.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name = '']) => name))
  const rows = [...read('docs/settings.md').matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].map(([, names = '']) => names)
  const listed = rows.flatMap((names) => names.replaceAll('`', '').split(', '))
  expect(listed.toSorted()).toEqual(options.toSorted())
  for (const [variable] of source.matchAll(/SWITCHHOOK_[A-Z_]+/g)) expect(read('docs/settings.md')).toContain(variable)
})

it('docs/guarantees.md states that missed events cannot be fetched later, and the effect of 20 failures [R GEN-15]', () => {
  const promised = read('docs/guarantees.md').replaceAll(/\s+/g, ' ')
  expect(promised).toContain('missed events cannot be fetched later')
  expect(promised).toContain('after 20 failures in a row it disables the endpoint')
})
