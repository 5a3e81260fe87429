/** The page with the form. It runs no script, loads nothing, and cannot be framed. */
import { createHash } from 'node:crypto'
import { DESK_LANGUAGE, SIGN_IN } from '../words.ts'

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center }
  main { box-sizing: border-box; width: min(22rem, 100vw); padding: 1.5rem }
  h1 { font-size: 1.5rem }
  label, button { display: block; width: 100%; margin-top: 1rem }
  input, button { box-sizing: border-box; width: 100%; padding: .7rem; font: inherit; border: 1px solid #767676; border-radius: .5rem }
  button { border: 0; background: #0a6b4f; color: #fff; font-weight: 600; cursor: pointer }
  :focus-visible { outline: 3px solid #1a73e8; outline-offset: 2px }
  [role=alert] { padding: .7rem; border-radius: .5rem; background: #fde7e9; color: #8c1022 }
`

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // With `no-referrer` browsers would send `Origin: null` with the form.
  'Referrer-Policy': 'same-origin',
}

interface Content {
  readonly to?: string
  /** As it was typed. */
  readonly name?: string
  readonly problem?: string
  /** Asks whether to sign out instead. */
  readonly isSignOut?: boolean
}

export function signInPage({ to = '/desk/', name = '', problem, isSignOut = false }: Content) {
  const title = isSignOut ? SIGN_IN.signOut : SIGN_IN.signIn
  const alert = problem === undefined ? '' : `<p role="alert" id="problem">${escaped(problem)}</p>`
  const about = problem === undefined ? '' : ' aria-describedby="problem"'
  const fields = `
        <label>${escaped(SIGN_IN.name)}
          <input name="name" value="${escaped(name)}" autocomplete="username" autocapitalize="none" required${name === '' ? ' autofocus' : ''}>
        </label>
        <label>${escaped(SIGN_IN.password)}
          <input name="password" type="password" autocomplete="current-password" required${about}${name === '' ? '' : ' autofocus'}>
        </label>`
  const html = `<!doctype html>
<html lang="${DESK_LANGUAGE}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>${escaped(title)}</h1>
      ${alert}
      <form method="post" action="${isSignOut ? '/sign-out' : `/sign-in?to=${encodeURIComponent(to)}`}">${isSignOut ? '' : fields}
        <button>${escaped(title)}</button>
      </form>
    </main>
  </body>
</html>
`
  return { html, headers: HEADERS }
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
