import { sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The most frames of an error that are kept: an app may have set `Error.stackTraceLimit` to infinity, and each failed
 * attempt logs and stores its frames.
 */
const MOST_FRAMES = 30

const FRAME = /^\s+at (?:.+ \(|async )?(.+?)(?::\d+:\d+)?\)?$/

/**
 * The frames of an error's stack without its message: those of the app's own code first, since a failure is looked for
 * there; then those of libraries, this one included, and of Node. Files below the working directory are named from there.
 * Empty if the value has no stack.
 */
export function framesOf(error: unknown): string[] {
  const frames = stackOf(error)
    .split('\n')
    .filter((line) => FRAME.test(line))
  const own = frames.filter(isOfApp)
  const others = frames.filter((frame) => !isOfApp(frame))
  return [...own, ...others].slice(0, MOST_FRAMES).map(fromWorkingDirectory)
}

/** The stack without the name and message that it begins with, whose lines may look like frames. */
function stackOf(error: unknown): string {
  try {
    const { stack, message } = error as { stack?: unknown; message?: unknown }
    if (typeof stack !== 'string') return ''
    if (typeof message !== 'string' || message === '') return stack
    const at = stack.indexOf(message)
    return at < 0 ? stack : stack.slice(at + message.length)
  } catch {
    return ''
  }
}

function isOfApp(frame: string): boolean {
  const place = FRAME.exec(frame)?.[1] ?? ''
  const file = place.startsWith('file:') ? place : pathToFileURL(place).href
  const isFile = /^(?:file:|[/\\]|[A-Z]:\\)/i.test(place)
  return isFile && !file.includes('/node_modules/') && !file.startsWith(libraryFolder())
}

/** In a bundle that has no address this library cannot be told from the app, and the frames keep their order. */
function libraryFolder(): string {
  const { url } = import.meta as { url?: string }
  return url === undefined ? 'file:' : new URL('..', url).href
}

function fromWorkingDirectory(frame: string): string {
  const folder = process.cwd()
  return frame
    .trim()
    .replace(`${pathToFileURL(folder).href}/`, '')
    .replace(`${folder}${sep}`, '')
}
