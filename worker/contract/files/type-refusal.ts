import { type Refusal, refusal } from '../errors.ts'

/** Why a file of another type cannot be attached. The code depends on the extension, so that its sentence can name a format to save the file in. */
export function typeRefusal(name: string): Refusal {
  if (/\.(?:xlsx?|xlsm|xlsb|ods|numbers)$/i.test(name)) return refusal('spreadsheet_file')
  if (/\.(?:docx?|docm|odt|rtf|pages|pptx?|odp|key|epub)$/i.test(name)) return refusal('office_file')
  return refusal(/\.(?:hei[cf]s?|tiff?|jxl|psd|raw|dng|svgz|ico|bmp|avif)$/i.test(name) ? 'image_format' : 'file_type')
}
