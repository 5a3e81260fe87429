/** The bot's environment, checked before it starts. All problems are reported at once. */
import { z } from 'zod'

const needed = z.string('is missing').min(1, 'is missing')

const Environment = z.object({
  SWITCHHOOK_BASE_URL: needed,
  SWITCHHOOK_ACCESS_TOKEN: needed,
  SWITCHHOOK_SIGNING_SECRET: needed,
  PORT: z.coerce.number('must be a number').int().min(0).max(65_535).default(3000),
})

export function readEnvironment(variables: NodeJS.ProcessEnv): z.infer<typeof Environment> {
  const { data, error } = Environment.safeParse(variables)
  if (data) return data
  const wrong = error.issues.map(({ path, message }) => `  ${path.join('.')} ${message}`)
  console.error(`The environment is not complete; .env.example explains it:\n${wrong.join('\n')}`)
  process.exit(1)
}
