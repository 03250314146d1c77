import { en } from '../../../worker/contract/texts/en.ts'
import { catalogue } from './text-catalogue.ts'

/** Texts that the served HTML draws too. */
export const firstPaintText = catalogue('firstPaint', en)
