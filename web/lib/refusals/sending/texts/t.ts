import { catalogue } from '../../../i18n/text-catalogue.ts'
import { en } from './en.ts'

export const sendingText = catalogue('sendingRefusals', en)
