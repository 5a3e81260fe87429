import { kindOf } from '../base/value.ts'
import { members, refuse, string } from './check.ts'
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
  return built(
    { kind: 'link' },
    {
      type: 'interactive',
      interactive: {
        type: 'cta_url',
        ...bodyAndFooter(builder, body, footer),
        cta: {
          display_text: string({ builder, path: 'title' }, to.title),
          url: string({ builder, path: 'url' }, to.url),
        },
      },
    },
  )
}
