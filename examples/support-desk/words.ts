/** The desk's texts by the customer's language. */
export const WORDS = {
  sw: {
    help: 'Tukusaidie nini?',
    hours: 'Saa za kazi',
    open: 'Tuko wazi Jumatatu hadi Ijumaa saa 3 hadi 11, Jumamosi saa 3 hadi 7.',
    person: 'Ongea na mtu',
    wait: 'Mtu atakujibu hapa. Andika "menu" kurudi.',
    closed: 'Hakuna mtu kwa sasa. Tuko wazi kuanzia saa 3 asubuhi.',
    other: 'English',
    stopped: 'Hatutakutumia habari tena. Andika START kurudisha.',
    started: 'Utapata habari tena.',
    sorry: 'Samahani, jaribu tena.',
  },
  en: {
    help: 'How can we help?',
    hours: 'Opening hours',
    open: 'We are open Monday to Friday from 9 to 17, Saturday from 9 to 13.',
    person: 'Talk to a person',
    wait: 'Somebody will answer you here. Say "menu" to come back.',
    closed: 'Nobody is here now. We are open from 9 in the morning.',
    other: 'Kiswahili',
    stopped: 'You get no more news. START brings them back.',
    started: 'You get our news again.',
    sorry: 'Sorry, please try again.',
  },
} as const

export type Language = keyof typeof WORDS
export type Words = (typeof WORDS)[Language]
