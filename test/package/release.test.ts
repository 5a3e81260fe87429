import { describe, expect, it } from 'vitest'
import { type Candidate, toDo } from '../../tools/release/checks.ts'

const repository = { type: 'git', url: 'git+https://example.com/switchhook.git' }
const READY: Candidate = {
  own: { name: 'switchhook', version: '1.2.0', repository },
  create: { name: 'create-switchhook', version: '1.2.0', repository, dependencies: { switchhook: '1.2.0' } },
  locked: '1.2.0',
  changelog: '# Changelog\n\n## 1.2.0 (2026-12-01)\n\n- More.\n\n## 1.1.0 (2026-11-01)\n',
  changes: '',
  tags: ['v1.1.0'],
  here: [],
}

describe('a release', () => {
  it('has nothing left to do once everything has one version, is dated and committed', () => {
    expect(toDo(READY)).toEqual([])
    expect(toDo({ ...READY, tags: ['v1.1.0', 'v1.2.0'], here: ['v1.2.0'] })).toEqual([])
  })

  it.for<[string, Partial<Candidate>, string]>([
    ['no version', { own: { ...READY.own, version: '1.2' } }, 'is not a version as semver writes it'],
    ['another version of the lock', { locked: '1.1.0' }, 'one of them is not of version 1.2.0'],
    ['another version of create', { create: { ...READY.create, version: '1.1.0' } }, 'not of version 1.2.0'],
    [
      'a create that brings another version',
      { create: { ...READY.create, dependencies: { switchhook: '1.1.0' } } },
      'not of version 1.2.0',
    ],
    ['no repository', { own: { name: 'switchhook', version: '1.2.0' } }, 'switchhook: its package.json names no repos'],
    ['no section', { changelog: '## 1.2.0-rc.1 (2026-12-01)' }, 'no section `## 1.2.0 (date)`'],
    ['no date', { changelog: '## 1.2.0 (unreleased)' }, 'is "unreleased"'],
    ['changes', { changes: ' M src/bot/switchhook.ts' }, 'not committed'],
    ['a tag of another commit', { tags: ['v1.2.0'] }, 'v1.2.0 is the tag of another commit'],
  ])('waits if there is %s', ([, change, sentence]) => {
    expect(toDo({ ...READY, ...change })).toContainEqual(expect.stringContaining(sentence))
  })
})
