/** Fields for the headers of a server: a name and a value each. */
import { Plus, X } from 'lucide-react'
import { maxServerHeaders } from '../../../../worker/contract/limits.ts'
import { createId } from '../../../lib/create-id.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { fieldClass } from '../../../ui/text-field.tsx'
import { t } from './texts/en.ts'

/** `key` identifies the fields on screen. */
export type Header = { readonly key: string; readonly name: string; readonly value: string }

export const emptyHeader = (name = ''): Header => ({ key: createId(), name, value: '' })

/** Without empty rows. */
export const headersOf = (headers: readonly Header[]): Record<string, string> =>
  Object.fromEntries(headers.flatMap(({ name, value }) => (name.trim() || value ? [[name.trim(), value]] : [])))

type HeaderFieldsProps = { readonly headers: readonly Header[]; readonly onChange: (headers: readonly Header[]) => void }

export function HeaderFields({ headers, onChange }: HeaderFieldsProps) {
  const change = (key: string, changed: Partial<Header>) =>
    onChange(headers.map((header) => (header.key === key ? { ...header, ...changed } : header)))
  return (
    <div className="flex flex-col gap-2">
      <p className="text-xs text-muted-foreground text-pretty">{t('headersDescription')}</p>
      {headers.map(({ key, name, value }, index) => (
        <div key={key} className="flex items-center gap-2">
          <input
            aria-label={t('headerName', { number: index + 1 })}
            placeholder={t('headerNameExample')}
            autoComplete="off"
            spellCheck={false}
            className={`${fieldClass} h-9 min-w-0 flex-1 touch:h-11`}
            value={name}
            onChange={(event) => change(key, { name: event.target.value })}
          />
          <input
            aria-label={t('headerValue', { number: index + 1 })}
            placeholder={t('headerValueExample')}
            type="password"
            autoComplete="off"
            className={`${fieldClass} h-9 min-w-0 flex-1 touch:h-11`}
            value={value}
            onChange={(event) => change(key, { value: event.target.value })}
          />
          <IconButton
            label={t('removeHeader', { number: index + 1 })}
            onClick={() => onChange(headers.filter((header) => header.key !== key))}
          >
            <X />
          </IconButton>
        </div>
      ))}
      {headers.length < maxServerHeaders && (
        <Button size="sm" variant="ghost" className="self-start" onClick={() => onChange([...headers, emptyHeader()])}>
          <Plus aria-hidden="true" className="size-3.5" />
          {t('addHeader')}
        </Button>
      )}
    </div>
  )
}
