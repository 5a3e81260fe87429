/** For `npm run dev` and the tests. Everybody knows these: src/environment.ts refuses them for the real service. */
export const EXAMPLES = {
  DESK_PEOPLE: [
    'neema:admin:scrypt.16384.8.5.example-neema.UFHlKZcyJK4tUG1o5M_JGDxA3wkNe6YEOfbO233iGgg',
    'baraka:desk:scrypt.16384.8.5.example-baraka.nZTcikCq4g_mT8s8jCBrhVlFTDcDgIK4uHsV30VEvi4',
  ].join(','),
  SESSION_SECRET: 'example: it only protects a bot beside the emulator',
}

/** By the name. */
export const EXAMPLE_PASSWORDS = { neema: 'example-neema', baraka: 'example-baraka' } as const
