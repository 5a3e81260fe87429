/** The desk's texts by the customer's language. */
export const WORDS = {
  sw: {
    help: 'Karibu! Tukusaidie nini?',
    hours: 'Saa za kazi',
    open: 'Tuko wazi Jumatatu hadi Ijumaa saa 3 asubuhi hadi saa 11 jioni, Jumamosi hadi saa 7 mchana.',
    person: 'Ongea na mtu',
    wait: 'Asante, tumepokea ujumbe wako. Mtu atakujibu hapa. Andika "menu" kurudi.',
    closed: 'Samahani, hakuna mtu kwa sasa. Tunafungua saa 3 asubuhi.',
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
    closed: 'Nobody is here now. We are open from 9 in the morning.',
    other: 'Kiswahili',
    stopped: 'You will get no more news. Write START to get them again.',
    started: 'You will get our news again.',
    sorry: 'Sorry, please try again.',
  },
} as const

export type Words = (typeof WORDS)[keyof typeof WORDS]
