import { reasonOf } from '../../base/errors.ts'
import { settingsFrom, startSettings } from '../../app/options.ts'
import { bad, badInProd, type Finding, ok, type Setup, valueOf } from './finding.ts'

/** Checks the environment as a start of the app does, and looks for slips that a start cannot see. */
export function options(setup: Setup): Finding[] {
  const { environment } = setup
  try {
    const settings = settingsFrom({}, environment)
    const { role } = startSettings({}, environment)
    const { local, development, allowedRecipients: allowed } = settings
    const to = local ? 'an emulator' : allowed ? `${allowed.size} allowed recipients` : 'everybody'
    return [
      ok('options', `the app starts with role ${role}, header prefix ${settings.headerPrefix}, and sends to ${to}`),
      ...slips(setup),
      ...(valueOf(setup, TOKEN) === undefined
        ? [
            badInProd(
              setup,
              'access-token',
              `${TOKEN} is not set, so the app cannot send`,
              'copy it from the dashboard',
            ),
          ]
        : []),
      ...(setup.prod && local
        ? [bad('base-url', 'the service is this machine, so no send reaches a phone', "set the service's address")]
        : []),
      ...(setup.prod && development
        ? [
            bad(
              'environment',
              'NODE_ENV is not production',
              'set NODE_ENV=production, or only allowed recipients get messages',
            ),
          ]
        : []),
    ]
  } catch (error) {
    return [bad('options', reasonOf(error), 'the app does not start before this is set'), ...slips(setup)]
  }
}

const TOKEN = 'SWITCHHOOK_ACCESS_TOKEN'
const SECRETS = 'SWITCHHOOK_SIGNING_SECRET'
const SHORTEST_SECRET_CHARACTERS = 16

/** Characters that people copy along with a secret by mistake. */
function slips(setup: Setup): Finding[] {
  const secrets = (valueOf(setup, SECRETS) ?? '').split(',').map((one) => ({ name: SECRETS, value: one.trim() }))
  const all = [...secrets, { name: TOKEN, value: valueOf(setup, TOKEN) ?? '' }]
  return all.flatMap(({ name, value }) => {
    const id = name === TOKEN ? 'access-token' : 'signing-secret'
    if (/^bearer\s|^["'`]|["'`]$|[^\x21-\x7e]/i.test(value))
      return [
        bad(id, `${name} has "Bearer", quotes, white space or letters beyond ASCII in it`, 'copy the value alone'),
      ]
    if (value === '' || value.length >= SHORTEST_SECRET_CHARACTERS) return []
    return [
      badInProd(setup, id, `${name} has fewer than ${SHORTEST_SECRET_CHARACTERS} characters`, 'copy the whole value'),
    ]
  })
}

export function node(version: string, napi: string | undefined): Finding {
  if (Number(napi) >= 10) return ok('node', `Node ${version}`)
  return bad('node', `Node ${version} is too old`, 'install Node 22.14 or later: the database crashes below it')
}
