/** The page of `npm run dev`: the customer's phone on the left, the desk on the right. */
import type { RequestHandler } from 'express'
import { DESK_LANGUAGE } from '../src/words.ts'
import { EXAMPLE_PASSWORDS } from './examples.ts'

const PEOPLE = Object.entries(EXAMPLE_PASSWORDS)
  .map(([name, password]) => `${name} (${password})`)
  .join(' or ')

/** For the terminal and the page. */
export const HINT = `Sign in as ${PEOPLE}.`

/** Serves the page, and lets it frame the desk. In production nobody may frame the desk. */
export function sideBySide(phone: string): RequestHandler {
  return (request, response, next) => {
    if (request.path === '/') return void response.type('html').send(page(phone))
    const { writeHead } = response
    response.writeHead = (...given: unknown[]) => {
      response.removeHeader('X-Frame-Options')
      const policy = String(response.getHeader('Content-Security-Policy') ?? '')
      response.setHeader('Content-Security-Policy', policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'"))
      return Reflect.apply(writeHead, response, given)
    }
    next()
  }
}

const page = (phone: string) => `<!doctype html>
<html lang="${DESK_LANGUAGE}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Phone and desk</title>
    <link rel="icon" href="data:,">
    <style>
      :root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; --line: #8886 }
      body { margin: 0 }
      main { display: grid; grid-template: 100vh / 400px 1fr }
      section { display: grid; grid-template-rows: auto 1fr; min-width: 0; border-right: 1px solid var(--line) }
      h1, h2 { margin: 0; padding: .5rem .75rem; font-size: 1em; border-bottom: 1px solid var(--line) }
      h1 span, h2 span { font-weight: 400 }
      iframe { width: 100%; height: 100%; border: 0 }
      @media (max-width: 900px) { main { grid-template: 100vh 100vh / 1fr } }
    </style>
  </head>
  <body>
    <main>
      <section>
        <h1>The customer’s phone <span>Write “person”.</span></h1>
        <iframe title="The customer’s phone" src="${phone}"></iframe>
      </section>
      <section>
        <h2>The desk <span>${HINT}</span></h2>
        <iframe title="The desk" src="/desk/"></iframe>
      </section>
    </main>
  </body>
</html>
`
