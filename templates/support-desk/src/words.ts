/** What customers read, by their language. */
export const WORDS = {
  sw: {
    help: 'Karibu! Tukusaidie nini?',
    hours: 'Saa za kazi',
    open: 'Tuko wazi Jumatatu hadi Ijumaa saa 3 asubuhi hadi saa 11 jioni, Jumamosi hadi saa 7 mchana.',
    person: 'Ongea na mtu',
    wait: 'Asante, tumepokea ujumbe wako. Mtu atakujibu hapa. Andika "menu" kurudi.',
    closed: 'Samahani, hakuna mtu kwa sasa. Tunafungua saa 3 asubuhi, kisha mtu atakujibu hapa.',
    other: 'English',
    stopped: 'Sawa, hatutakutumia habari tena. Andika START ukizitaka.',
    started: 'Sawa, utapata habari zetu tena.',
    sorry: 'Samahani, tafadhali jaribu tena.',
  },
  en: {
    help: 'Welcome! How can we help?',
    hours: 'Opening hours',
    open: 'We are open Monday to Friday from 9 to 17, Saturday from 9 to 13.',
    person: 'Talk to a person',
    wait: 'Thank you, we have your message. Somebody will answer you here. Say "menu" to come back.',
    closed: 'Nobody is here now. We open at 9 in the morning. Then somebody will answer you here.',
    other: 'Kiswahili',
    stopped: 'You will get no more news. Write START to get them again.',
    started: 'You will get our news again.',
    sorry: 'Sorry, please try again.',
  },
} as const

export type Words = (typeof WORDS)[keyof typeof WORDS]

/** The language of the people who answer: `en`, `sw` and `ar` are built in. */
export const DESK_LANGUAGE: 'en' | 'sw' = 'en'

export const SIGN_IN = {
  en: {
    signIn: 'Sign in',
    signOut: 'Sign out',
    name: 'Name',
    password: 'Password',
    wrong: 'The name or the password is wrong.',
    tooMany: 'Too many tries. Wait a minute, then try again.',
    elsewhere: 'This form came from another page. Try again.',
  },
  sw: {
    signIn: 'Ingia',
    signOut: 'Toka',
    name: 'Jina',
    password: 'Nenosiri',
    wrong: 'Jina au nenosiri si sahihi.',
    tooMany: 'Umejaribu mara nyingi mno. Subiri dakika moja, kisha jaribu tena.',
    elsewhere: 'Fomu hii imetoka kwenye ukurasa mwingine. Jaribu tena.',
  },
}[DESK_LANGUAGE]

/** Answers that people at the desk use often: they type `/` and a part of the name. */
export const SNIPPETS = [
  { name: 'hours', text: WORDS.en.open },
  { name: 'saa', text: WORDS.sw.open },
]
