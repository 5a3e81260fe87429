import { optionsInvalid } from '../base/errors.ts'
import { isRecord, kindOf, type MaybeAsync } from '../base/value.ts'

/** A person, as `authorize` names them: the name is shown beside what they did. */
export type Person = string | { readonly name: string }

/** The options of `adminPage`. `Request` is the host's own: Express's, that of `node:http`, or the fetch standard's. */
export interface AdminOptions<Request, Who extends Person = Person> {
  /**
   * Says who sends this request, or nothing (`undefined`, `null`, `false`), which is answered 401. It is asked for every
   * request, for the page's files too. If it throws, the answer is 500.
   */
  authorize: (request: Request) => MaybeAsync<Who | undefined | null | false>
  /** If true, the person looks, and changes nothing. Default false. */
  readOnly?: boolean | ((who: Who) => MaybeAsync<boolean>)
  /** If true, the person may have numbers, names and texts shown; each time is recorded. Default false. */
  reveal?: boolean | ((who: Who) => MaybeAsync<boolean>)
}

const OPTIONS = ['authorize', 'readOnly', 'reveal']

/** @throws SwitchhookError `options_invalid` */
export function checkOptions(o: unknown): void {
  const refuse = (name: string, problem: string) => optionsInvalid(`${name}: ${problem}`)
  const [unknown] = isRecord(o) ? Object.keys(o).filter((name) => !OPTIONS.includes(name)) : []
  if (unknown !== undefined)
    throw refuse(unknown, `adminPage() has no such option; there are authorize, readOnly and reveal`)
  const { authorize, readOnly = false, reveal = false } = isRecord(o) ? o : {}
  if (typeof authorize !== 'function')
    throw refuse(
      'authorize',
      'adminPage() expects a function that says who sends a request, or nothing; without it anybody could read messages',
    )
  for (const [name, given] of Object.entries({ readOnly, reveal }))
    if (typeof given !== 'boolean' && typeof given !== 'function')
      throw refuse(name, `adminPage() expects true, false or a function of who it is, got ${kindOf(given)}`)
}
