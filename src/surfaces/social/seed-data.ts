/** Words of the demo network. */

// prettier-ignore
export const firsts = [
  'Mara', 'Jonas', 'Aiko', 'Tomás', 'Lena', 'Kofi', 'Ines', 'Piotr', 'Nadia', 'Emil', 'Sofía', 'Ravi',
  'Hanna', 'Luca', 'Yusuf', 'Freya', 'Mateo', 'Chiara', 'Anders', 'Zoë', 'Milan', 'Priya', 'Oskar', 'Leila',
]
// prettier-ignore
export const lasts = [
  'Lindqvist', 'Okafor', 'Tanaka', 'Moreno', 'Weber', 'Novak', 'Haddad', 'Rossi', 'Jensen', 'Kowalski',
  'Dubois', 'Patel', 'Silva', 'Berg', 'Yilmaz', 'Fischer', 'Costa', 'Nguyen', 'Larsen', 'Popescu',
]

export const bios = [
  'Ceramics and long walks.',
  'Backend engineer. Cyclist.',
  'I photograph bridges.',
  'Baker by night, student by day.',
  'Gardening on a balcony of four square metres.',
  'Translator. Tea before words.',
  'Teaching physics, learning the cello.',
  '',
]

export const posts = [
  'Fresh out of the kiln! The blue glaze finally does what I want.',
  'Does anybody have a good recipe for rye sourdough? Mine stays flat.',
  '62 km before breakfast. The fog over the river was worth it.',
  'We moved our build to two machines and it takes four minutes now.',
  'Read a novel in one sitting for the first time in years.',
  'The tomatoes on my balcony are three weeks early.',
  'Looking for a second violin for our Thursday quartet. No auditions, only tea.',
  'Today I learned that a group of flamingos is called a flamboyance.',
  'The old bridge is open again. Photographs will follow.',
  'My first talk at a conference is accepted. I am terrified.',
  'Somebody left a box of books on our street. I came home with nine.',
  'Rain all day, so I repaired the radio.',
]

export const comments = [
  'That is beautiful.',
  'Congratulations!',
  'Where was this?',
  'I had the same problem; more water helped.',
  'Count me in.',
  'Thank you for sharing this.',
  'More of this, please.',
  'I did not know that.',
]
