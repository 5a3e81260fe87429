/** A package manager's commands. The templates are written for npm; another manager's commands replace npm's. */
export interface Manager {
  readonly install: string
  readonly test: string
  /** The command before the name of a script. */
  readonly run: string
  /** The command before the binary of an installed package. */
  readonly exec: string
  /** The files that a container build copies and the command that installs production dependencies only. */
  readonly image: { readonly files: readonly string[]; readonly install: string }
  /** Further dependencies; undefined removes one that the manager cannot install. */
  readonly devDependencies?: Readonly<Record<string, string | undefined>>
  /** Members of package.json that allow the install script of `node`, the pinned runtime. */
  readonly allow?: Readonly<Record<string, unknown>>
  /** The manager's own files, by name. */
  readonly files?: Readonly<Record<string, string>>
}

export const MANAGERS = {
  npm: {
    install: 'npm install',
    test: 'npm test',
    run: 'npm run',
    exec: 'npx',
    image: { files: ['package.json', 'package-lock.json'], install: 'npm ci --omit=dev' },
    // better-sqlite3 comes with a prebuilt binary, so nothing is compiled.
    allow: { allowScripts: { 'better-sqlite3': false, node: true } },
    // npm on an older Node would warn of the engines of each package, though the project brings its own Node.
    files: { '.npmrc': 'loglevel=error\n' },
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
    // Yarn cannot run the install script of `node` and installs no peer dependencies.
    devDependencies: { node: undefined, vite: '8.3.8' },
    // The empty lock file makes the project a root of its own, whatever is above it.
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

/** The manager that started this process, by its user agent: `pnpm/12.21.0 npm/? node/v24.21.0 linux x64`. */
export function detectManager(userAgent: string | undefined): ManagerName {
  const name = userAgent?.split('/', 1)[0] ?? ''
  return MANAGER_NAMES.find((known) => known === name) ?? 'npm'
}

/** Replaces npm's commands in a template's text by another manager's. */
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

/** A sentence of the templates' READMEs, and the one that is true if the runtime is no dependency. */
const BRINGS_RUNTIME = 'the version in `package.json` comes with `npm install`'
const NEEDS_RUNTIME = 'yours must be 22.18 or newer'

function unignored(file: string): string {
  return `!${file}`
}
