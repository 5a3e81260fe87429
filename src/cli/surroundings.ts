import { DEFAULT_HEADER_PREFIX } from '../contract/delivery.ts'
import type { Emulator } from '../emulator/index.ts'

/** What an app beside an emulator finds in its environment; nothing of the live service is left there. */
export function surroundings(emulator: Emulator, database: string): Record<string, string> {
  return {
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
    SWITCHHOOK_PHONE_NUMBER_ID: emulator.phoneNumberId,
    SWITCHHOOK_HEADER_PREFIX: DEFAULT_HEADER_PREFIX,
    SWITCHHOOK_DATABASE: database,
    // Nobody is named: the emulator's customers are all that can be reached.
    SWITCHHOOK_ALLOWED_RECIPIENTS: '',
    // For the commands of this program that the app's scripts may call.
    SWITCHHOOK_EMULATOR: emulator.url,
    SWITCHHOOK_CONTROL_TOKEN: emulator.controlToken,
  }
}
