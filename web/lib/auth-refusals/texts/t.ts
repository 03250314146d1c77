import { catalogue } from '../../i18n/text-catalogue.ts'
import { en } from './en.ts'

export const authText = catalogue('authRefusals', en)
