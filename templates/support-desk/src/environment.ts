/** The bot's environment, checked before it starts. All problems are reported at once. */
import { z } from 'zod'
import { readPeople } from './desk/people.ts'

const needed = z.string('is missing').min(1, 'is missing')

const Environment = z
  .object({
    SWITCHHOOK_BASE_URL: needed,
    SWITCHHOOK_ACCESS_TOKEN: needed,
    SWITCHHOOK_SIGNING_SECRET: needed,
    PORT: z.coerce.number('must be a number').int().min(0).max(65_535).default(3000),
    DESK_PEOPLE: needed.transform((text, check) => {
      try {
        return readPeople(text)
      } catch (error) {
        check.addIssue({ code: 'custom', message: (error as Error).message })
        return z.NEVER
      }
    }),
    SESSION_SECRET: z.string('is missing').min(32, 'must have at least 32 characters: openssl rand -base64 33'),
    NODE_ENV: z.string().optional(),
    SWITCHHOOK_EMULATOR: z.string().optional(),
  })
  // Everybody knows the passwords and the secret of dev/examples.ts.
  .superRefine(({ DESK_PEOPLE, SESSION_SECRET, NODE_ENV, SWITCHHOOK_EMULATOR }, check) => {
    if (SWITCHHOOK_EMULATOR !== undefined && NODE_ENV !== 'production') return
    const refuse = (name: string, message: string) => check.addIssue({ code: 'custom', path: [name], message })
    if (DESK_PEOPLE.some(({ password }) => password.salt.startsWith('example')))
      refuse('DESK_PEOPLE', 'has the people of npm run dev: npm run add-person adds real ones')
    if (SESSION_SECRET.startsWith('example'))
      refuse('SESSION_SECRET', 'is that of npm run dev: openssl rand -base64 33')
  })

export function readEnvironment(variables: NodeJS.ProcessEnv): z.infer<typeof Environment> {
  const { data, error } = Environment.safeParse(variables)
  if (data) return data
  const wrong = error.issues.map(({ path, message }) => `  ${path.join('.')} ${message}`)
  console.error(`The environment is not complete; .env.example explains it:\n${wrong.join('\n')}`)
  process.exit(1)
}
