import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { desk, type DeskPerson } from '../../../src/features/people/desk/desk.ts'
import { builtPageFile } from '../../../src/base/built-page.ts'
import { useStage } from '../../admin/stage.ts'

const WRONG: DeskPerson = { name: 'wrong', write: true }

describe('who opens the desk', () => {
  const at = useStage()
  const opened = (o: { person?: DeskPerson; language?: string; texts?: Record<string, string> } = {}) => {
    const { person = { name: 'neema' }, ...options } = o
    return desk(at.bot, { authorize: () => person, ...options }).fetch(new Request('http://shop.test/desk/'))
  }

  it('gets a page and no data although their rights are wrong, so that the page can say so', async () => {
    const answer = await opened({ person: WRONG })
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.status).toBe(200)
  })

  it('gets a sentence, and its data requests a refusal, while the app cannot say who they are', async () => {
    const page = desk(at.bot, {
      authorize: () => {
        throw new Error('the session store is away')
      },
    })
    const opening = await page.fetch(new Request('http://shop.test/desk/'))
    expect(opening.status).toBe(500)
    expect(opening.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await opening.text()).toContain('<p>That failed. The log of the bot contains the reason.</p>')
    const data = await page.fetch(new Request('http://shop.test/desk/api/state'))
    expect(data.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await data.json()).toMatchObject({ error: 'failed' })
  })

  it('gets the language and the app’s own texts with the page', async () => {
    expect(await (await opened()).text()).toContain('<html lang="en"')
    const html = await (await opened({ language: 'fr', texts: { connecting: '"Un & deux"' } })).text()
    expect(html).toContain(
      '<html lang="fr" data-texts="{&quot;connecting&quot;:&quot;\\&quot;Un &amp; deux\\&quot;&quot;}">',
    )
  })

  it('serves an icon for a home screen that takes no SVG', async () => {
    const icon = new URL('../../../src/pages/desk/public/icon.png', import.meta.url)
    const file = await builtPageFile('icon.png', () => readFile(icon))
    expect(file?.headers['Content-Type']).toBe('image/png')
    // The signature of a PNG, by its specification.
    expect([...new Uint8Array(file?.body as Buffer).slice(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10])
    const html = await readFile(new URL('../../../src/pages/desk/index.html', import.meta.url), 'utf8')
    expect(html).toContain('<link rel="apple-touch-icon" href="./icon.png" />')
  })
})
