import openapiTS, { astToString } from 'openapi-typescript'

const HEADER =
  '// Generated from the emulator’s openapi.json by openapi-typescript. To update: npx vitest run test/emulator/generated-client.test.ts --update=all\n'

/** The types of a client, as openapi-typescript makes them out of a description with its usual settings. */
export async function clientTypes(description: string): Promise<string> {
  return HEADER + astToString(await openapiTS(description))
}
