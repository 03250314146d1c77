import { formatBytesIn } from '../../../worker/contract/file-size.ts'
import { formatLocale } from '../i18n/intl-format.ts'

/** For example 640 kB or 2.4 MB, in the language of the page. */
export const formatBytes = (bytes: number): string => formatBytesIn(formatLocale(), bytes)
