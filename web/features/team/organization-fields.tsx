/** Name, slug and logo of a new organization. */
import { useState } from 'react'
import { maxOrganizationNameChars, maxSlugChars } from '../../../worker/contract/limits.ts'
import { isSlug, slugFrom } from '../../../worker/contract/organization.ts'
import { TextField } from '../../ui/text-field.tsx'
import { LogoField } from './logo-field.tsx'
import { t } from './texts/en.ts'

type OrganizationDraft = { readonly name: string; readonly slug: string; readonly logo: string | null }

type Draft = {
  readonly draft: OrganizationDraft
  readonly change: (changes: Partial<OrganizationDraft>) => void
  /** Why it cannot be saved. */
  readonly reason: string | undefined
}

/** The slug follows the name until the user edits it. */
export function useOrganizationDraft(): Draft {
  const [changes, setChanges] = useState<Partial<OrganizationDraft>>({})
  const { name = '', slug = slugFrom(name, maxSlugChars), logo = null } = changes
  const draft = { name, slug, logo }
  return { draft, change: (more) => setChanges({ ...changes, ...more }), reason: disabledReason({ ...draft, name: name.trim() }) }
}

function disabledReason({ name, slug }: OrganizationDraft): string | undefined {
  if (name === '') return t('enterName')
  if (name.length > maxOrganizationNameChars) return t('shortenName')
  if (slug === '') return t('enterSlug')
  if (slug.length > maxSlugChars) return t('shortenSlug')
  return isSlug(slug) ? undefined : t('slugProblem')
}

/** A refusal of the server, shown at its field. */
type FieldRefusal = { readonly field: 'name' | 'slug' | 'logo'; readonly message: string }

const fieldOfCode: { readonly [code: string]: FieldRefusal['field'] } = {
  name_invalid: 'name',
  slug_invalid: 'slug',
  ORGANIZATION_ALREADY_EXISTS: 'slug',
  ORGANIZATION_SLUG_ALREADY_TAKEN: 'slug',
  logo_invalid: 'logo',
}

/** Null if the refusal belongs to no field. */
export function fieldRefusalOf({ code, message }: { readonly code: string | null; readonly message: string }): FieldRefusal | null {
  const field = code === null ? undefined : fieldOfCode[code]
  return field === undefined ? null : { field, message }
}

type FieldsProps = Omit<Draft, 'reason'> & { readonly refused: FieldRefusal | null }

export function OrganizationFields({ draft, change, refused }: FieldsProps) {
  const isSlugInvalid = draft.slug !== '' && !isSlug(draft.slug)
  const refusedIn = (field: FieldRefusal['field']) => (refused?.field === field ? refused.message : undefined)
  return (
    <div className="flex flex-col gap-4">
      <TextField
        label={t('name')}
        error={refusedIn('name')}
        value={draft.name}
        onValueChange={(name) => change({ name })}
        maxChars={maxOrganizationNameChars}
        autoComplete="organization"
      />
      <TextField
        label={t('slug')}
        hint={t('slugHint')}
        error={isSlugInvalid ? t('slugProblem') : refusedIn('slug')}
        value={draft.slug}
        onValueChange={(slug) => change({ slug })}
        maxChars={maxSlugChars}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
      />
      <LogoField name={draft.name} logo={draft.logo} onChange={(logo) => change({ logo })} />
      {refused?.field === 'logo' && (
        <p role="alert" className="text-xs text-danger text-pretty">
          {refused.message}
        </p>
      )}
    </div>
  )
}
