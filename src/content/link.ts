import { LIMITS } from '../contract/index.ts'
import { bounded, kindOf, members, refuse } from './check.ts'
import { bodyAndFooter } from './choice.ts'
import { built, type Freeform } from './content.ts'

/**
 * A text of at most 1024 characters with one button that opens an address (SEND-09): `title` has 1 to 20
 * characters, `url` 1 to 2000, http or https. The footer has at most 60.
 */
export function link(
  body: string,
  to: { title: string; url: string },
  more?: { footer?: string | undefined },
): Freeform {
  const builder = 'link()'
  const { footer } = members(builder, more, ['footer'])
  if (typeof to !== 'object' || to === null)
    refuse({ builder, path: 'the second argument' }, `must be { title, url }, got ${kindOf(to)}`)
  const url = bounded({ builder, path: 'url' }, to.url, LIMITS.linkUrl, 'use a shorter address')
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    refuse({ builder, path: 'url' }, 'must be a whole http or https address: begin it with https://')
  return built(
    { kind: 'link' },
    {
      type: 'interactive',
      interactive: {
        type: 'cta_url',
        ...bodyAndFooter(builder, body, footer),
        cta: { display_text: bounded({ builder, path: 'title' }, to.title, LIMITS.linkTitle), url },
      },
    },
  )
}
