/** The options that name the service, for every command that calls it. */
export const BASE_URL_OPTION = ['--base-url <url>', "the service's address (env: SWITCHHOOK_BASE_URL)"] as const

export const TOKEN_OPTION = ['--token <token>', "the number's access token (env: SWITCHHOOK_ACCESS_TOKEN)"] as const

export const PHONE_NUMBER_ID_OPTION = [
  '--phone-number-id <id>',
  'needed if several numbers share the token (env: SWITCHHOOK_PHONE_NUMBER_ID)',
] as const

export interface ServiceFlags {
  readonly baseUrl?: string
  readonly token?: string
  readonly phoneNumberId?: string
}
