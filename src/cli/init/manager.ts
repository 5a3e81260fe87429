/** How a package manager is spoken to. The templates are written for npm; the others' words take the place of its. */
export interface Manager {
  readonly install: string
  readonly test: string
  /** What stands before the name of a script. */
  readonly run: string
  /** What stands before the command of an installed package. */
  readonly exec: string
  /** What an image's build copies and runs, to have what is needed in production alone. */
  readonly image: { readonly files: readonly string[]; readonly install: string }
  /** What it needs besides; undefined is what it cannot install. */
  readonly devDependencies?: Readonly<Record<string, string | undefined>>
  /** Members of package.json that let `node`, the pinned runtime, fetch itself when it is installed. */
  readonly allow?: Readonly<Record<string, unknown>>
  /** Files of its own that it needs, by their names. */
  readonly files?: Readonly<Record<string, string>>
}

export const MANAGERS = {
  npm: {
    install: 'npm install',
    test: 'npm test',
    run: 'npm run',
    exec: 'npx',
    image: { files: ['package.json', 'package-lock.json'], install: 'npm ci --omit=dev' },
    // Its native part comes prebuilt: nothing is to be compiled.
    allow: { allowScripts: { 'better-sqlite3': false, node: true } },
  },
  pnpm: {
    install: 'pnpm install',
    test: 'pnpm test',
    // In full: `pnpm doctor` is a command of its own.
    run: 'pnpm run',
    exec: 'pnpm exec',
    image: {
      files: ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'],
      install: 'npx --yes pnpm@12.21.0 install --prod --frozen-lockfile',
    },
    files: { 'pnpm-workspace.yaml': 'allowBuilds:\n  better-sqlite3: false\n  node: true\n' },
  },
  yarn: {
    install: 'yarn install',
    test: 'yarn test',
    run: 'yarn run',
    exec: 'yarn',
    image: {
      files: ['package.json', 'yarn.lock', '.yarnrc.yml'],
      install: 'npx --yes @yarnpkg/cli-dist@4.18.1 workspaces focus --production',
    },
    // It cannot run the install script of `node`, and brings no peers.
    devDependencies: { node: undefined, vite: '8.3.8' },
    // The empty lock says that the project is one of its own, whatever lies above it.
    files: { '.yarnrc.yml': 'nodeLinker: node-modules\n', 'yarn.lock': '' },
  },
  bun: {
    install: 'bun install',
    test: 'bun run test',
    run: 'bun run',
    exec: 'bunx',
    image: {
      files: ['package.json', 'bun.lock'],
      install: 'npx --yes bun@1.4.5 install --production --frozen-lockfile',
    },
    allow: { trustedDependencies: ['node'] },
  },
} as const satisfies Record<string, Manager>

export type ManagerName = keyof typeof MANAGERS

export const MANAGER_NAMES = Object.keys(MANAGERS) as ManagerName[]

/** The one that started this process, as each of them says: `pnpm/12.21.0 npm/? node/v24.21.0 linux x64`. */
export function detectManager(userAgent: string | undefined): ManagerName {
  const name = userAgent?.split('/', 1)[0] ?? ''
  return MANAGER_NAMES.find((known) => known === name) ?? 'npm'
}

/** A text of a template in the words of another manager. */
export function adaptTo(manager: ManagerName, text: string): string {
  const from = MANAGERS.npm
  const to: Manager = MANAGERS[manager]
  const ownRuntime = 'node' in (to.devDependencies ?? {})
  return text
    .replaceAll(BRINGS_RUNTIME, ownRuntime ? NEEDS_RUNTIME : BRINGS_RUNTIME)
    .replaceAll(from.image.install, to.image.install)
    .replaceAll(from.image.files.join(' '), to.image.files.join(' '))
    .replaceAll(from.image.files.map(unignored).join('\n'), to.image.files.map(unignored).join('\n'))
    .replaceAll(from.install, to.install)
    .replaceAll(from.test, to.test)
    .replaceAll('npm start', `${to.run} start`)
    .replaceAll(`${from.run} `, `${to.run} `)
    .replaceAll(`${from.exec} switchhook`, `${to.exec} switchhook`)
}

/** What the templates' READMEs say, and what is true where the runtime is not among the dependencies. */
const BRINGS_RUNTIME = 'the version in `package.json` comes with `npm install`'
const NEEDS_RUNTIME = 'yours must be 22.18 or newer'

/** As `.dockerignore` lets a file in. */
function unignored(file: string): string {
  return `!${file}`
}
