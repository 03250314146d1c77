import { useEffect } from 'react'

export const productName = 'Parley'

/** Sets the document title while mounted, then restores the product's name. */
export function usePageTitle(title: string | null | undefined): void {
  useEffect(() => {
    document.title = title || productName
  }, [title])
}
