import { catalogue } from '../../../../../lib/i18n/text-catalogue.ts'

/** Texts of the expected price. English, in ICU syntax. */
export const en = {
  messagePrice: 'Price of the next message',
  planPrice: 'Planning is free, up to {count, number} times a day. You pay when you start the research.',
  aboutCredits: 'About {credits}',
  priceAboveMinimum:
    'This message sends about {tokens, number} tokens. The model costs at least {minimum, plural, one {# credit} other {# credits}}. At most {most, plural, one {# credit is} other {# credits are}} reserved, and what the answer does not use is returned.',
  priceOfTools: 'About {tokens, number} of them describe the tools of your servers. You can switch servers off for a thread.',
  priceIsMinimum:
    'This is the least that the model costs. At most {most, plural, one {# credit is} other {# credits are}} reserved for a long answer, and what it does not use is returned.',
  startShorterThread: 'Start a new thread',
  chooseCheaperModel: 'Choose a cheaper model',
  turnLimit: 'Most credits for an answer',
  turnLimitDescription: 'In this thread. At the limit, the answer ends with what it has.',
  turnLimitDefault: 'Automatic',
  turnLimitError: 'Enter a number from 1 to {max, number}, or nothing.',
} as const

export const t = catalogue('price', en)
