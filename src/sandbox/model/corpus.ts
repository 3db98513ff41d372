/** The text that this model was built from: openings of two novels in the public domain. */
export const corpus = `
It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in
want of a wife. However little known the feelings or views of such a man may be on his first entering a
neighbourhood, this truth is so well fixed in the minds of the surrounding families, that he is
considered as the rightful property of some one or other of their daughters. My dear Mr. Bennet, said
his lady to him one day, have you heard that Netherfield Park is let at last? Mr. Bennet replied that he
had not. But it is, returned she, for Mrs. Long has just been here, and she told me all about it. Mr.
Bennet made no answer. Do not you want to know who has taken it? cried his wife impatiently. You want to
tell me, and I have no objection to hearing it. This was invitation enough. Why, my dear, you must know,
Mrs. Long says that Netherfield is taken by a young man of large fortune from the north of England; that
he came down on Monday in a chaise and four to see the place, and was so much delighted with it that he
agreed with Mr. Morris immediately; that he is to take possession before Michaelmas, and some of his
servants are to be in the house by the end of next week. What is his name? Bingley. Is he married or
single? Oh! single, my dear, to be sure! A single man of large fortune; four or five thousand a year.
What a fine thing for our girls! How so? how can it affect them? My dear Mr. Bennet, replied his wife,
how can you be so tiresome! You must know that I am thinking of his marrying one of them. Is that his
design in settling here? Design! nonsense, how can you talk so! But it is very likely that he may fall
in love with one of them, and therefore you must visit him as soon as he comes.
Alice was beginning to get very tired of sitting by her sister on the bank, and of having nothing to do:
once or twice she had peeped into the book her sister was reading, but it had no pictures or
conversations in it, and what is the use of a book, thought Alice, without pictures or conversations? So
she was considering in her own mind, as well as she could, for the hot day made her feel very sleepy and
stupid, whether the pleasure of making a daisy-chain would be worth the trouble of getting up and
picking the daisies, when suddenly a White Rabbit with pink eyes ran close by her. There was nothing so
very remarkable in that; nor did Alice think it so very much out of the way to hear the Rabbit say to
itself, Oh dear! Oh dear! I shall be late! But when the Rabbit actually took a watch out of its
waistcoat-pocket, and looked at it, and then hurried on, Alice started to her feet, for it flashed across
her mind that she had never before seen a rabbit with either a waistcoat-pocket, or a watch to take out
of it, and burning with curiosity, she ran across the field after it, and fortunately was just in time
to see it pop down a large rabbit-hole under the hedge. In another moment down went Alice after it,
never once considering how in the world she was to get out again. The rabbit-hole went straight on like
a tunnel for some way, and then dipped suddenly down, so suddenly that Alice had not a moment to think
about stopping herself before she found herself falling down a very deep well. Either the well was very
deep, or she fell very slowly, for she had plenty of time as she went down to look about her and to
wonder what was going to happen next. First, she tried to look down and make out what she was coming to,
but it was too dark to see anything; then she looked at the sides of the well, and noticed that they were
filled with cupboards and book-shelves; here and there she saw maps and pictures hung upon pegs.
`
