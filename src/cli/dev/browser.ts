import { spawn } from 'node:child_process'

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens an address in the user's browser; `print` is called if no browser can be started. */
export function openInBrowser(url: string, print: (line: string) => void): void {
  const [file, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(file, [...args, url], { stdio: 'ignore', detached: true })
  child.once('error', () => print(`No browser could be opened (${file}); the page is at ${url}`))
  child.unref()
}
