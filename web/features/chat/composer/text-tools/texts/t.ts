import { catalogue } from '../../../../../lib/i18n/text-catalogue.ts'
import { en } from './en.ts'

export const t = catalogue('textTools', en)
