import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findingsIn } from '../../tools/package/check.ts'
import { pack, succeeds } from '../templates/packed.ts'

const MB = 1_000_000
/** About a tenth above the sizes that docs/versions.md states. */
const LARGEST = { packed: 1.4 * MB, unpacked: 4.3 * MB, files: 1_750 }

/** The libraries whose code is in the scripts of the pages. */
const BUNDLED = new Map(['preact', '@preact/signals', '@preact/signals-core'].map((name) => [name, 'MIT']))

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
  it('has nothing that publint or are-the-types-wrong finds', () => {
    expect(findingsIn(tarball)).toEqual([])
  })

  it('has what is used and what is read, and neither sources nor tests', () => {
    const texts = ['CHANGELOG.md', 'LICENSE', 'README.md']
    const tops = new Set(['bin', 'dist', 'docs', 'ops', 'package.json', 'templates', ...texts])
    expect(new Set(listed.map((file) => file.split('/')[1]))).toEqual(tops)
    expect(listed.filter((file) => /\.(map|png|db)$/.test(file))).toEqual([])
  })

  it('is not larger than the documentation says', () => {
    const unpacked = listed.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
    expect(statSync(tarball).size).toBeLessThan(LARGEST.packed)
    expect(unpacked).toBeLessThan(LARGEST.unpacked)
    expect(listed.length).toBeLessThan(LARGEST.files)
  })

  it.for(['page', 'admin-page'])('has the licences of the libraries whose code is in its %s', (page) => {
    const notices = read(`dist/${page}/third-party.md`)
    const named = [...notices.matchAll(/^## (\S+) - \S+ \((.*)\)$/gm)]
    expect(new Map(named.map(([, name, licence]) => [name, licence]))).toEqual(BUNDLED)
    expect(notices.match(/^Permission is hereby granted/gm)).toHaveLength(BUNDLED.size)
  })
})
