import { catalogue } from '../../../lib/i18n/text-catalogue.ts'
import { en } from './en.ts'

export type PartName = keyof typeof en

export const partName = catalogue('partNames', en)
