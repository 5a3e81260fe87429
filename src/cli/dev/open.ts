import { spawn } from 'node:child_process'

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens an address in the browser of whoever sits there; `tell` is told where that cannot be done. */
export function openInBrowser(url: string, tell: (line: string) => void): void {
  const [file, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(file, [...args, url], { stdio: 'ignore', detached: true })
  child.once('error', () => tell(`No browser could be opened (${file}); the page is at ${url}`))
  child.unref()
}
