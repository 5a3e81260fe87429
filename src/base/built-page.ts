/** A built page runs only its own script and style, loads nothing from elsewhere, and cannot be framed. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const NAME = /^(?:assets\/)?[\w-]+\.(html|js|css|svg)$/

/** The media type of a page's file. Undefined if no file has such a name: no other is read, and no path leads out of the folder. */
export function pageFileType(name: string): string | undefined {
  return TYPES[NAME.exec(name)?.[1] ?? '']
}
