import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pack, root, runScript, succeeds } from '../templates/packed.ts'
import { answerOf, FIRST_WORDS } from '../templates/try-out.ts'

const MB = 1_000_000
/** About a tenth above the sizes that docs/versions.md states. */
const LARGEST = { packed: 1.5 * MB, unpacked: 5 * MB, files: 1_100 }

/** The libraries whose code is in the scripts of the pages. */
const BUNDLED = new Map(['preact', '@preact/signals', '@preact/signals-core'].map((name) => [name, 'MIT']))

/** Modules in the package's types. `on-every-node.ts` compiles them by old and new resolutions. */
const FOUND_BY_ALL = ['@opentelemetry/api', 'commander', 'prom-client', 'ulid', 'url', 'zod']

let folder: string
let tarball: string
let listed: string[]
const read = (file: string) => readFileSync(join(folder, 'package', file), 'utf8')

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-package-'))
  tarball = await pack(folder)
  const names = await succeeds('tar', ['-xzvf', tarball, '-C', folder], folder)
  listed = names.trim().split('\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the packed package', () => {
  it('has everything that is used or read, and neither sources nor tests', () => {
    const texts = ['CHANGELOG.md', 'LICENSE', 'README.md']
    const tops = new Set(['bin', 'dist', 'docs', 'ops', 'package.json', 'templates', ...texts])
    expect(new Set(listed.map((file) => file.split('/')[1]))).toEqual(tops)
    expect(listed.filter((file) => /\.(map|db)$|^package\/docs\/.*\.png$/.test(file))).toEqual([])
  })

  it('is not larger than the documentation says', () => {
    const unpacked = listed.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
    expect(statSync(tarball).size).toBeLessThan(LARGEST.packed)
    expect(unpacked).toBeLessThan(LARGEST.unpacked)
    expect(listed.length).toBeLessThan(LARGEST.files)
  })

  it.for(['pages/emulator', 'pages/admin', 'pages/desk'])(
    'has the licences of the libraries whose code is in its %s',
    (page) => {
      const notices = read(`dist/${page}/third-party.md`)
      const named = [...notices.matchAll(/^## (\S+) - \S+ \((.*)\)$/gm)]
      expect(new Map(named.map(([, name, licence]) => [name, licence]))).toEqual(BUNDLED)
      expect(notices.match(/^Permission is hereby granted/gm)).toHaveLength(BUNDLED.size)
    },
  )

  it('has types that name only modules which every resolution of TypeScript finds', () => {
    const types = listed.filter((file) => file.endsWith('.d.ts')).map((file) => read(file.replace('package/', '')))
    const named = types.flatMap((text) => [...text.matchAll(/(?:from |import\()['"]([^'".][^'"]*)['"]/g)])
    const outside = new Set(named.map(([, name = '']) => name).filter((name) => !name.startsWith('node:')))
    expect([...outside].sort()).toEqual(FOUND_BY_ALL)
  })
})

describe('a bot that the packed switchhook writes', () => {
  /** The other packages are the repository's own, so nothing is fetched. `on-every-node.ts` installs all of them. */
  beforeAll(async () => {
    const packages = join(folder, 'node_modules')
    mkdirSync(join(packages, '.bin'), { recursive: true })
    for (const name of readdirSync(join(root, 'node_modules')).filter((each) => !each.startsWith('.')))
      symlinkSync(join(root, 'node_modules', name), join(packages, name))
    await succeeds('tar', ['-xzf', tarball, '-C', packages], folder)
    await succeeds('mv', ['package', 'switchhook'], packages)
    for (const name of ['node', 'vitest', 'tsc'])
      symlinkSync(join(root, 'node_modules/.bin', name), join(packages, '.bin', name))
    symlinkSync('../switchhook/bin/switchhook.js', join(packages, '.bin/switchhook'))
    const dependencies = { switchhook: `file:${relative(folder, tarball)}` }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  })

  it('type-checks, passes its tests, starts and answers its first customer', async () => {
    // `on-every-node.ts` tries the other templates too.
    const template = 'support-desk'
    const project = join(folder, 'my-desk')
    // In production mode npm would leave out what tests; and nobody's own variables count.
    const environment = { NODE_ENV: '' }
    await succeeds('node_modules/.bin/switchhook', ['init', basename(project), '--template', template, '--yes'], folder)
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
    expect(dependencies.switchhook).toBe(`file:../packed/${basename(tarball)}`)
    for (const name of ['types', 'test']) await runScript(project, name, environment)
    expect(await answerOf(project, template, environment)).toBe(FIRST_WORDS[template].answer)
  })

  it('is written by create-switchhook too, which has the same version', async () => {
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const create = JSON.parse(readFileSync(join(root, 'tools/create/package.json'), 'utf8'))
    expect([create.version, create.dependencies.switchhook]).toEqual([own.version, own.version])
    cpSync(join(root, 'tools/create'), join(folder, 'node_modules/create-switchhook'), { recursive: true })
    await succeeds(process.execPath, ['node_modules/create-switchhook/create.js', 'created', '--yes'], folder)
    expect(JSON.parse(readFileSync(join(folder, 'created/package.json'), 'utf8')).name).toBe('created')
  })
})
