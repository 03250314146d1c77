import { catalogue } from '../../i18n/text-catalogue.ts'
import { en } from './en.ts'

export const t = catalogue('device', en)
