/** The facts by which a release is judged. */
export interface Candidate {
  /** The manifests of `switchhook` and `create-switchhook`, and the version that the lock gives the first. */
  readonly own: Manifest
  readonly create: Manifest
  readonly locked: string
  readonly changelog: string
  /** `git status --porcelain`, and the names of all tags. */
  readonly changes: string
  readonly tags: readonly string[]
  /** The tags of the commit that is checked out. */
  readonly here: readonly string[]
}

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly repository?: unknown
  readonly dependencies?: Readonly<Record<string, string>>
}

const VERSION = /^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/
const DATED = /^\d{4}-\d\d-\d\d$/

/** The steps that are left before that version can be released, each as a sentence. */
export function toDo({ own, create, locked, changelog, changes, tags, here }: Candidate): string[] {
  const { version } = own
  const versions = [create.version, create.dependencies?.['switchhook'], locked]
  const dated = dateOf(changelog, version)
  const nameless = [own, create].filter(({ repository }) => repository === undefined)
  return [
    !VERSION.test(version) && `package.json: ${version} is not a version as semver writes it`,
    versions.some((other) => other !== version) &&
      `tools/create/package.json, what it depends on and package-lock.json: one of them is not of version ${version}`,
    ...nameless.map(({ name }) => `${name}: its package.json names no repository, which a provenance has to be of`),
    dated === undefined && `CHANGELOG.md: no section \`## ${version} (date)\``,
    dated !== undefined && !DATED.test(dated) && `CHANGELOG.md: the section ${version} is "${dated}"; give it a date`,
    changes !== '' && 'there are changes that are not committed',
    tags.includes(tagOf(version)) && !here.includes(tagOf(version)) && `${tagOf(version)} is the tag of another commit`,
  ].filter((sentence) => sentence !== false)
}

export function tagOf(version: string): string {
  return `v${version}`
}

/** The words in brackets behind the version, in the heading of its section. */
function dateOf(changelog: string, version: string): string | undefined {
  const heading = changelog.split('\n').find((line) => line.startsWith(`## ${version} (`))
  return heading?.slice(`## ${version} (`.length, -1)
}
