import { expectTypeOf } from 'vitest'
import { buttons, list } from '../../src/service/interactive.ts'
import type { Choice, Content, Template } from '../../src/service/content.ts'
import { type Lang, type Params, type ParamsArgument, template, type TemplateName } from '../../src/service/template.ts'

type IdOf<C> = C extends Choice<infer Id> ? Id : never

// The type of a choice knows the ids of its options.
const both = buttons('?', [
  { id: 'y', title: 'Y' },
  { id: 'n', title: 'N' },
])
expectTypeOf<IdOf<typeof both>>().toEqualTypeOf<'y' | 'n'>()
const rows = list('?', [
  { id: 'cash', title: 'Cash' },
  { id: 'card', title: 'Card', description: 'any' },
])
expectTypeOf<IdOf<typeof rows>>().toEqualTypeOf<'cash' | 'card'>()
const sections = list('?', { Now: [{ id: 'a', title: 'A' }], Later: [{ id: 'b', title: 'B' }] })
expectTypeOf<IdOf<typeof sections>>().toEqualTypeOf<'a' | 'b'>()
const found = list(
  '?',
  ['x', 'y'].map((id) => ({ id, title: id })),
)
expectTypeOf<IdOf<typeof found>>().toEqualTypeOf<string>()

// Every choice is a content; a template is none, since it is for when a content may not be sent.
const contents: Content[] = ['text', both, rows, sections]
const templates: Template[] = [template('any', 'sw'), template('any', 'sw', { body: ['1'], buttons: [null, 'x'] })]
void [contents, templates]

// @ts-expect-error a template is no content
const wrong: Content = template('any', 'sw')
void wrong
// @ts-expect-error an option has a title
void (() => buttons('?', [{ id: 'y' }]))
// @ts-expect-error there is no header
void (() => buttons('?', [{ id: 'y', title: 'Y' }], { header: 'h' }))
// @ts-expect-error a number is no parameter
void (() => template('any', 'sw', { body: [1] }))

// Once `templates pull` has written the number's templates, nothing else compiles.
interface Pulled {
  order: { sw: { body: [string, string] }; en: { body: [string, string] } }
  pickup: { sw: { body: [string] } }
}
expectTypeOf<TemplateName<Pulled>>().toEqualTypeOf<'order' | 'pickup'>()
expectTypeOf<Lang<'pickup', Pulled>>().toEqualTypeOf<'sw'>()
expectTypeOf<Params<'order', 'en', Pulled>>().toEqualTypeOf<{ body: [string, string] }>()
expectTypeOf<TemplateName>().toEqualTypeOf<string>()
expectTypeOf<Lang<'whatever'>>().toEqualTypeOf<string>()

// If name or language may be one of several, the parameters suit each of them, and are required if one needs them.
interface Uneven {
  order: { sw: { body: [string, string] }; en: { body: [string, string] }; fr: { body: [string] } }
  thanks: { sw: { body?: [] } }
}
expectTypeOf<ParamsArgument<Params<'order', 'fr', Uneven>>>().toEqualTypeOf<[params: { body: [string] }]>()
expectTypeOf<ParamsArgument<Params<'thanks', 'sw', Uneven>>>().toEqualTypeOf<[params?: { body?: [] } | undefined]>()
expectTypeOf<[{ body: [string, string] }]>().toExtend<ParamsArgument<Params<'order', 'sw' | 'en', Uneven>>>()
expectTypeOf<[{ body: [string] }]>().not.toExtend<ParamsArgument<Params<'order', 'sw' | 'fr', Uneven>>>()
expectTypeOf<Lang<'order' | 'thanks', Uneven>>().toEqualTypeOf<'sw'>()
